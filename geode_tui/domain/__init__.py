"""Values and rules of the field, in pydantic and the standard library. No I/O."""
