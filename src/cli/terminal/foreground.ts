/** Calls back when Ctrl-C is pressed, before the command ends, until the returned function is called. */
export function onInterrupt(say: () => void): () => void {
  process.prependOnceListener('SIGINT', say)
  return () => void process.removeListener('SIGINT', say)
}

/** Lets Ctrl-C reach only the program in the foreground, such as a pager, until the returned function is called. */
export function ignoreInterrupts(): () => void {
  const listeners = process.listeners('SIGINT')
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  for (const listener of listeners) process.removeListener('SIGINT', listener)
  return () => {
    process.removeListener('SIGINT', ignore)
    for (const listener of listeners) process.on('SIGINT', listener)
  }
}
