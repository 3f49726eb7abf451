const TYPES_COUNT = true;
