"""count-the-sweeps."""

from jaxcourse.prediction import Mistake, any_of, prediction

count_the_sweeps = prediction(
    "count-the-sweeps",
    see="which-way",
    hint=[
        "Forwards, one pass gives one column of the Jacobian. Backwards, one pass gives one row.",
        "A loss has one result. A product with one vector needs no matrix.",
    ],
    mistakes=[
        Mistake(
            "run-counted",
            [
                {"gradient, 1000 parameters, backwards": 2, "gradient, 1000 parameters, forwards": 1001},
                {"one row of that Jacobian, backwards": 2},
            ],
            "You counted the run of the function. It goes along with the first tangent or cotangent: count only these.",
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
            "You swapped the directions. A tangent is a direction in the space of the *parameters*: going forwards, "
            "count these.",
        ),
        Mistake(
            "forwards-is-free",
            {"gradient, 1000 parameters, forwards": 1},
            "You need more passes. One forwards moves in one direction, and gives one of the 1000 derivatives.",
        ),
        Mistake(
            "gradient-one-by-one",
            {"gradient, 1000 parameters, backwards": 1000},
            "You need fewer passes. Backwards, one reaches all the parameters at once, because a loss has one result.",
        ),
        Mistake(
            "both-counted",
            [
                {"Jacobian, 3 parameters, 500 results, forwards": any_of(1500, 503)},
                {"Jacobian, 3 parameters, 500 results, backwards": any_of(1500, 503)},
            ],
            "You counted rows and columns. One pass gives a whole column, or a whole row: count the ones or the "
            "others.",
        ),
        Mistake(
            "whole-matrix-for-a-part",
            [
                {"one column of that Jacobian, forwards": any_of(3, 500)},
                {"one row of that Jacobian, backwards": any_of(3, 500)},
            ],
            "You counted more than you need. One tangent gives one column, and one cotangent gives one row.",
        ),
        Mistake(
            "one-for-each-element",
            {"Hessian, 50 parameters, forwards over the gradient": any_of(2500, 100, 1275, 25)},
            "You counted elements. One `jvp` of the gradient gives one whole column of the Hessian, and there are 50 "
            "columns.",
        ),
        Mistake(
            "gradient-counted-too",
            [
                {"Hessian, 50 parameters, forwards over the gradient": 51},
                {"Hessian times a vector, 50 parameters, forwards over that": 2},
            ],
            "You counted the gradient as well. It is the function that `jvp` gets: count the tangents that go through "
            "it.",
        ),
        Mistake(
            "hessian-made-first",
            {"Hessian times a vector, 50 parameters, forwards over that": any_of(50, 51, 2500)},
            "You made the matrix first. The vector is the tangent: one `jvp` of the gradient gives the product.",
        ),
    ],
    otherwise="Count one pass for each parameter that moves going forwards, and one for each result going backwards.",
)
