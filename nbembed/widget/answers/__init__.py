"""Whatever a page asks: cards, rows, groups, found points, suggestions, why points lie there.

Answers are made in the background and go to the page that asked; they write no trait and change no
map.
"""
