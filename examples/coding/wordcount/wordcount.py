"""Counts words."""

import sys


def count_words(text):
    """How often each word stands in a text, upper and lower case being the same."""
    raise NotImplementedError


if __name__ == "__main__":
    for word, count in sorted(count_words(sys.argv[1]).items()):
        print(word, count)
