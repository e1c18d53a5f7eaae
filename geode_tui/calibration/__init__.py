"""Agreement statistics: numbers in, numbers out."""
