const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
/** Work that takes less time shows no spinner. */
const SPINNER_DELAY_MS = 300
const CLEAR_LINE = '\r\u001b[K'

/** Shows a spinner until the returned function is called, which clears its line. The label may change meanwhile. */
export function startSpinner(stream: NodeJS.WritableStream, label: () => string): () => void {
  let frame = 0
  let shown = false
  let timer = setTimeout(show, SPINNER_DELAY_MS)
  function show(): void {
    shown = true
    stream.write(`${CLEAR_LINE}${FRAMES[frame++ % FRAMES.length]} ${label()}`)
    timer = setTimeout(show, FRAME_MS)
  }
  function stop(): void {
    clearTimeout(timer)
    process.removeListener('exit', stop)
    if (shown) stream.write(CLEAR_LINE)
    shown = false
  }
  // Ctrl-C ends the process while the spinner is shown.
  process.once('exit', stop)
  return stop
}
