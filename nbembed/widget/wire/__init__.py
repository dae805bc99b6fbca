"""The wire between an Explorer and its pages: traits, messages, commands and queries, one schema.

From it come the traitlets, the checks of messages (``protocol``) and the page's types in TypeScript
(``typescript``). Only declarations and checks: nothing here knows a widget, a thread or a map.
"""
