"""From a moving session to the pages: frames, traits, and the thread that paces them.

A layout is projected and colored (``drawing``), quantized and sent (``frames``, ``sender``),
commands are carried out and acknowledged with the frame that shows them (``dispatcher``). What a
page asks is answered elsewhere.
"""
