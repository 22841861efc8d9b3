import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Settings that say where this machine gets packages from. */
const SOURCES = ['registry', 'cache', 'cafile'] as const

/** Returns npm for a folder that is its home and has no settings, but with the registry and the cache of this machine. */
export async function npmWithoutHome(home: string): Promise<(...args: string[]) => Promise<void>> {
  const settings = await Promise.all(
    SOURCES.map(
      async (name) => [`npm_config_${name}`, (await run('npm', ['config', 'get', name])).stdout.trim()] as const,
    ),
  )
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_ignore_scripts: 'true',
    ...Object.fromEntries(settings.filter(([, value]) => value !== '' && value !== 'null')),
  }
  return async (...args) => {
    await run('npm', args, { env, cwd: home })
  }
}
