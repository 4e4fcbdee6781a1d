"""What a vocabulary directory is made of: words, strings, a trie, postings, trigrams."""
