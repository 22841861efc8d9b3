import { spawn } from 'node:child_process'
import type { Config } from '../command/config.ts'
import { ignoreInterrupts } from './foreground.ts'

/** Exit code of a shell that did not find the program. */
const PROGRAM_NOT_FOUND = 127

/**
 * Shows text in the person's pager and waits until they leave it. Returns false if there is no such program, so that
 * the caller prints the text itself.
 */
export async function showInPager(text: string, { pager, environment }: Config): Promise<boolean> {
  // Settings of less that `git` uses too: leave a short text on the screen, show colors, keep the text after leaving.
  const env = { LESS: 'FRX', ...environment }
  const stdio: ['pipe', 'inherit', 'inherit'] = ['pipe', 'inherit', 'inherit']
  const child = pager === undefined ? spawn('less', { env, stdio }) : spawn(pager, { env, stdio, shell: true })
  // The pager itself answers Ctrl-C, and it may leave before it has read everything.
  const restore = ignoreInterrupts()
  child.stdin.on('error', () => undefined).end(text)
  try {
    return await new Promise((resolve) => {
      child.once('error', () => resolve(false)).once('exit', (code) => resolve(code !== PROGRAM_NOT_FOUND))
    })
  } finally {
    restore()
  }
}
