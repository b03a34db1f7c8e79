import unittest

from wordcount import count_words


class CountWords(unittest.TestCase):
    def test_nothing(self):
        self.assertEqual(count_words(""), {})

    def test_words(self):
        self.assertEqual(count_words("the cat and the dog"), {"the": 2, "cat": 1, "and": 1, "dog": 1})

    def test_case(self):
        self.assertEqual(count_words("The the THE"), {"the": 3})
