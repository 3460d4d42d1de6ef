-- Words are looked for in all counties at once.
create index street_words_word on street_words (word, name);
