"""count-the-sweeps."""

from jaxcourse.prediction import Mistake, any_of, prediction

count_the_sweeps = prediction(
    "count-the-sweeps",
    see="which-way",
    hint=[
        "Forwards, one pass gives one column of the Jacobian. Backwards, one pass gives one row.",
        "A loss has one result. And a product with one vector needs no matrix.",
    ],
    mistakes=[
        Mistake(
            "run-counted",
            [
                {"gradient, 1000 parameters, backwards": 2, "gradient, 1000 parameters, forwards": 1001},
                {"one row of that Jacobian, backwards": 2},
            ],
            "Count the tangents or the cotangents. The run of the function itself goes along with the first of them.",
        ),
        Mistake(
            "directions-swapped",
            [
                {
                    "Jacobian, 3 parameters, 500 results, forwards": 500,
                    "Jacobian, 3 parameters, 500 results, backwards": 3,
                },
                {"gradient, 1000 parameters, backwards": 1000, "gradient, 1000 parameters, forwards": 1},
            ],
            "A tangent is a direction in the space of the *parameters*: going forwards, they are what is counted.",
        ),
        Mistake(
            "forwards-is-free",
            {"gradient, 1000 parameters, forwards": 1},
            "One pass forwards moves in one direction, and gives one of the 1000 derivatives.",
        ),
        Mistake(
            "gradient-one-by-one",
            {"gradient, 1000 parameters, backwards": 1000},
            "Backwards, one pass reaches all the parameters at once: a loss has one result.",
        ),
        Mistake(
            "both-counted",
            [
                {"Jacobian, 3 parameters, 500 results, forwards": any_of(1500, 503)},
                {"Jacobian, 3 parameters, 500 results, backwards": any_of(1500, 503)},
            ],
            "One pass gives a whole column, or a whole row: count the columns, or count the rows.",
        ),
        Mistake(
            "whole-matrix-for-a-part",
            [
                {"one column of that Jacobian, forwards": any_of(3, 500)},
                {"one row of that Jacobian, backwards": any_of(3, 500)},
            ],
            "One column is what one tangent gives, and one row is what one cotangent gives.",
        ),
        Mistake(
            "one-for-each-element",
            {"Hessian, 50 parameters, forwards over the gradient": any_of(2500, 100, 1275, 25)},
            "One push through the gradient gives one whole column of the Hessian, and there are 50 columns.",
        ),
        Mistake(
            "gradient-counted-too",
            [
                {"Hessian, 50 parameters, forwards over the gradient": 51},
                {"Hessian times a vector, 50 parameters, forwards over that": 2},
            ],
            "The gradient is the function that is pushed through. Count the tangents that go through it.",
        ),
        Mistake(
            "hessian-made-first",
            {"Hessian times a vector, 50 parameters, forwards over that": any_of(50, 51, 2500)},
            "The vector is the tangent: one push through the gradient gives the product, without the matrix.",
        ),
    ],
    otherwise="Forwards one for each parameter that moves, backwards one for each result.",
)
