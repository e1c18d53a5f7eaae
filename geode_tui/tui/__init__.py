"""The Textual app: thin screens over workflows."""
