import { spawn } from 'node:child_process'

/** Opens `url` in a browser that outlives this process. Returns false if the browser cannot be started. */
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
