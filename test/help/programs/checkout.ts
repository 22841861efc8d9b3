import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..', '..')

export type Checkout = Disposable & { folder: string; env: Record<string, string> }

/**
 * Makes a folder that is a checkout with its dependencies installed, and has a data folder of its own. `env` is that of
 * a person who has just installed Node and has no login. npm asks no package registry: `npx svc` must not need one.
 */
export function makeCheckout(): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'svc-checkout-'))
  for (const name of ['package.json', 'bin', 'src', 'skills', 'node_modules']) {
    symlinkSync(join(ROOT, name), join(folder, name))
  }
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  }
  return { folder, env, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Lets further uses of `npx svc` in the checkout run svc itself, because npx takes ten times as long as svc. */
export function skipNpx(checkout: Checkout): void {
  addProgram(checkout, 'npx', '[ "$1" = svc ] && shift && ')
}

/** Lets `svc` run the client of the checkout, as it does for a person who installed it from the instance. */
export function installClient(checkout: Checkout): void {
  addProgram(checkout, 'svc', '')
}

function addProgram({ folder, env }: Checkout, name: string, before: string): void {
  const programs = join(folder, `program-${name}`)
  mkdirSync(programs)
  const script = `#!/bin/sh\n${before}exec node "${join(folder, 'bin', 'svc.js')}" "$@"\n`
  writeFileSync(join(programs, name), script, { mode: 0o755 })
  env.PATH = [programs, env.PATH].join(delimiter)
}
