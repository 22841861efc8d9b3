import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** `npm start` in a checkout: the console is built when it is missing or older than its source, then all starts. */
const root = join(import.meta.dirname, '..')
const built = join(root, 'dist', 'console', 'index.html')

if (isStale()) {
  try {
    const { buildConsole } = await import('./build-console.ts')
    await buildConsole()
  } catch (error) {
    console.error(`svc: the console is not built: ${error instanceof Error ? error.message : String(error)}`)
  }
}
// npm runs this under a shell that does not pass signals on: when that shell is gone, so are we.
const parent = process.ppid
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 500).unref()
await import('../src/server/main.ts')

function isStale(): boolean {
  if (!existsSync(built)) return true
  const since = statSync(built).mtimeMs
  const sources = globSync('src/{console,contract}/**/*', { cwd: root })
  return sources.some((file) => statSync(join(root, file)).mtimeMs > since)
}
