import { join } from 'node:path'

/** Loads vite only when there is something to build. */
export async function buildConsole(): Promise<void> {
  const vite = await import('vite')
  await vite.build({ configFile: join(import.meta.dirname, '..', 'vite.config.ts'), logLevel: 'warn' })
}
