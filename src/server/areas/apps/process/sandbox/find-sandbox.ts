import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { workerEntry } from '#lib/files/bundle.ts'
import { type FoundBubblewrap, findBubblewrap } from '#lib/processes/bubblewrap.ts'
import { startProcess } from '#lib/processes/start-process.ts'
import { DESCRIPTORS, type SandboxCommand, type SandboxPlaces, sandboxCommand } from './sandbox-command.ts'
import { writeDescriptor } from './started-process.ts'
import { systemCallFilter } from './system-call-filter.ts'
import { openWorkplace } from './workplace.ts'

/** Whether svc is root, so that sandboxes get a user of their own. */
export const isRoot = process.getuid?.() === 0

/** Returns the programs that all sandboxes of this process use. */
export function programPlaces(): Pick<SandboxPlaces, 'node' | 'npm' | 'script'> {
  const npm = join(dirname(dirname(process.execPath)), 'lib', 'node_modules', 'npm')
  return {
    node: process.execPath,
    npm: existsSync(npm) ? npm : undefined,
    script: workerEntry('src/server/areas/apps/process/sandbox/inside.ts'),
  }
}

/** Finds out whether apps can have a sandbox, by making one with the same options. */
export async function findSandbox(dataDir: string, places?: readonly string[]): Promise<FoundBubblewrap> {
  const filter = systemCallFilter(process.arch)
  if (filter === undefined) return { missing: `there is no sandbox for the processor architecture ${process.arch}` }
  return findBubblewrap(async (bubblewrap) => {
    await using workplace = await openWorkplace({
      uid: undefined,
      apiOrigin: undefined,
      hasNetwork: false,
      onLine: () => {},
      placeFile: undefined,
    })
    const command = sandboxCommand(
      {
        ...programPlaces(),
        ...workplace,
        bubblewrap,
        dataDir,
        app: workplace.etc,
        isAppWritable: false,
        home: undefined,
      },
      { tmpfsBytes: 1024 * 1024, processes: 100, openFiles: 100, hasCpuGroup: false },
      isRoot ? PROBE_UID : undefined,
    )
    await attempt({ ...command, args: [...command.args.slice(0, -2), '--version'] }, filter)
  }, places)
}

/** Any user but root. */
const PROBE_UID = 65_534

/** Runs Node's `--version` in place of our script. Rejects with what bubblewrap wrote. */
async function attempt({ file, args, options }: SandboxCommand, filter: Buffer): Promise<void> {
  const child = startProcess(file, args, {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'ignore', 'pipe'],
  })
  const stderr = text(child.stderr!)
  writeDescriptor(child, DESCRIPTORS.filter, filter)
  writeDescriptor(child, DESCRIPTORS.options, options)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw Object.assign(new Error('bubblewrap failed'), { stderr: await stderr })
}
