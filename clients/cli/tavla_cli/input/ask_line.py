"""A line at the foot of a full screen, in which something is asked."""

from collections.abc import Callable

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.layout import BufferControl, ConditionalContainer, Window
from prompt_toolkit.layout.processors import BeforeInput


class AskLine:
    """A line that asks. container: what is to be put into the screen; it takes one row then."""

    def __init__(self) -> None:
        self._question = ""
        self._then: Callable[[str], None] | None = None
        self._buffer = Buffer(multiline=False, accept_handler=self._accept)
        control = BufferControl(self._buffer, input_processors=[BeforeInput(lambda: f" {self._question}: ")])
        self.asking = Condition(lambda: self._then is not None)
        self.container = ConditionalContainer(Window(control, height=1), filter=self.asking)

    def ask(self, question: str, then: Callable[[str], None], text: str = "") -> None:
        """Let the user type something, which may be `text` already, and hand it on without spaces around it."""
        self._question, self._then = question, then
        self._buffer.document = Document(text)
        get_app().layout.focus(self._buffer)

    def stop(self) -> None:
        """Ask no longer."""
        if self._then is not None:
            self._then = None
            get_app().layout.focus_last()

    def _accept(self, buffer: Buffer) -> bool:
        then, text = self._then, buffer.text.strip()
        self.stop()
        if then is not None:
            then(text)
        return False  # the text is not kept
