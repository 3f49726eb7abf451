const TYPES_COUNT = false;
