"""Agreement statistics: numbers in, numbers out.

Nothing is imported here: numpy, scipy and scikit-learn load only with the
module that needs them.
"""
