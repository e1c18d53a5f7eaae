"""Label audit transcripts beside their rubric; measure how far a judge agrees."""

__version__ = "0.1.0"
