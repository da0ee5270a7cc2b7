"""What is written, as sentences. Pure: views and messages in, text out."""
