import { spawn } from 'node:child_process'

/** Leaves the browser to itself. False where there is none after all. */
export async function openBrowser([command, ...args]: readonly string[], url: string): Promise<boolean> {
  const child = spawn(command!, [...args, url], { stdio: 'ignore', detached: true })
  return await new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
