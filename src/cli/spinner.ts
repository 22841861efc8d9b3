const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
/** What is done sooner needs no spinner. */
const PATIENCE_MS = 300
const CLEAR_LINE = '\r\u001b[K'

/** One line that moves while work goes on and is gone afterwards. Answers how to stop it. */
export function startSpinner(stream: NodeJS.WritableStream, label: string): () => void {
  let frame = 0
  let shown = false
  let timer = setTimeout(show, PATIENCE_MS)
  function show(): void {
    shown = true
    stream.write(`${CLEAR_LINE}${FRAMES[frame++ % FRAMES.length]} ${label}`)
    timer = setTimeout(show, FRAME_MS)
  }
  function stop(): void {
    clearTimeout(timer)
    process.removeListener('exit', stop)
    if (shown) stream.write(CLEAR_LINE)
    shown = false
  }
  // Ctrl-C ends the process in the middle of a line.
  process.once('exit', stop)
  return stop
}
