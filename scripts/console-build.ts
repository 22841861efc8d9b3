import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist', 'console', 'index.html')

/** Whether the built console is missing or older than its source. */
export function isConsoleStale(): boolean {
  if (!existsSync(built)) return true
  const since = statSync(built).mtimeMs
  // Not `globSync`, which takes three times as long, at each start.
  const sources = ['console', 'contract', 'look'].flatMap((part) => {
    const folder = join(root, 'src', part)
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  })
  return sources.some((file) => statSync(file).mtimeMs > since)
}

/**
 * Builds the console in a process of its own, because the build leaves much in memory, and compresses it quickly, because
 * somebody waits for it. Rejects if it fails.
 */
export function runConsoleBuild(): Promise<void> {
  const script = join(import.meta.dirname, 'build-console.ts')
  // Tests set another NODE_ENV, with which React would be built for development.
  const env = { ...process.env, NODE_ENV: 'production' }
  const child = spawn(process.execPath, [script], { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  process.once('exit', () => child.kill())
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => {
      if (code === null || code === 0) resolve()
      else reject(new Error(`the build ended with ${code}`))
    })
  })
}
