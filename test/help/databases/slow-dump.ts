import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { until } from '../until.ts'

type HeldDump = Disposable & {
  /** Folders in which this `pg_dump` is found before the real one. */
  readonly path: string
  /** Returns when the dump of the rows was started. */
  isWaiting(): Promise<void>
  /** Lets the dump begin. */
  letGo(): void
}

/** Makes a `pg_dump` that waits before it dumps rows. */
export async function holdDataDump(): Promise<HeldDump> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-dump-'))
  const [started, released] = [join(folder, 'started'), join(folder, 'released')]
  const path = process.env.PATH ?? ''
  const text = `#!/bin/sh
case "$*" in *--data-only*) touch '${started}'; while [ ! -e '${released}' ]; do sleep 0.05; done;; esac
PATH='${path}' exec pg_dump "$@"
`
  writeFileSync(join(folder, 'pg_dump'), text, { mode: 0o755 })
  return {
    path: [folder, path].join(delimiter),
    isWaiting: async () => {
      await until(() => existsSync(started))
    },
    letGo: () => writeFileSync(released, ''),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
