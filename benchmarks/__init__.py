"""What the package is measured by: a folder for each question, and `page`, which writes tables into the docs."""
