import { writeSync } from 'node:fs'

const POLL_MS = 500

/**
 * Stops this process when the process that started it ends, but only under npm: npm runs scripts through a shell
 * that does not pass signals on, so a stopped npm would leave the server running. Started any other way (nohup,
 * systemd, setsid, a shell) the server outlives its parent.
 */
export function stopWithNpm(env: NodeJS.ProcessEnv, parent = process.ppid): void {
  if (!env.npm_lifecycle_event || !env.npm_execpath) return
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    say('svc stops, because npm, which started it, has ended. To run it without npm: node bin/start.js')
    process.kill(process.pid, 'SIGTERM')
  }, POLL_MS)
  timer.unref()
}

function say(line: string): void {
  try {
    // Not process.stderr: writing to a terminal or pipe that is gone would end the process before it stops cleanly.
    writeSync(2, `${line}\n`)
  } catch {
    // Nobody can read it.
  }
}
