import { existsSync, readdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Key } from '#lib/archive/encrypt.ts'
import { checkBackup } from '../../../src/server/commands/backup/read-backup.ts'
import type { Environment } from '../../../src/server/config/reader.ts'
import { type ServerProcess, startProcess } from '../programs/processes.ts'
import type { BackupGround } from './grounds.ts'
import { runKilled, startCommand } from './killed-command.ts'

type Command = 'backup' | 'restore' | 'verify'
type Kind = Command | 'server'
export type BackupFaults = {
  /** Commands that did not succeed after a kill, with their output. */
  readonly failed: string[]
  /** Archives of the final name that are not whole. */
  readonly unusable: string[]
  /** Files, folders and roles that were there after a command that succeeded. */
  readonly leftovers: string[]
}
type State = {
  /** The last that was made. */
  archive: string
  /** The archive that is in the target now. */
  restored: string | undefined
  server: ServerProcess
}
type Setting = {
  readonly ground: BackupGround
  readonly folder: string
  readonly temporary: string
  readonly key: Key
  readonly keyFile: string
  readonly publicKey: string
  readonly random: () => number
}

/** Every archive is restored and verified, with a kill of each. A short proof kills the server too. */
const KINDS: readonly Kind[] = ['server', 'restore', 'verify', 'backup', 'restore', 'verify']
/** The first part of a command reads its own code and changes nothing. */
const MIN_SHARE = 0.2

/**
 * Kills commands, and the server of the embedded default while it is backed up, at random moments, and runs each again.
 * Each step ends by itself, so that a test can give each a limit of its own.
 */
export function createKillRounds(setting: Setting, server: ServerProcess) {
  const { ground, random } = setting
  const faults: BackupFaults = { failed: [], unusable: [], leftovers: [] }
  const counts = { backup: 0, restore: 0, verify: 0, server: 0, endedBefore: 0 }
  const run = createRunner(setting, faults)
  const isEmbedded = ground.env.DATABASE_URL === undefined
  const ms: Record<Command, number> = { backup: 0, restore: 0, verify: 0 }
  const state: State = { archive: join(setting.folder, 'calm.age'), restored: undefined, server }
  const moment = (command: Command) => ms[command] * (MIN_SHARE + (1 - MIN_SHARE) * random())
  return {
    state,
    faults,
    counts,
    /** Runs each command without a kill, and remembers how long it took. */
    async measure(): Promise<void> {
      ms.backup = await run.calmly('backup', state.archive)
      ms.restore = await run.calmly('restore', state.archive)
      await ground.emptyTargetIfShared()
      ms.verify = await run.calmly('verify', state.archive)
    },
    /** Kills the command of this round, or the server, and runs the command again. */
    async kill(round: number): Promise<void> {
      const kind = KINDS[round % KINDS.length]!
      const command = kind === 'server' ? 'backup' : kind
      if (command === 'backup') state.archive = join(setting.folder, `${round}.age`)
      if (command === 'restore') await ground.emptyTarget()
      if (command === 'verify') await ground.emptyTargetIfShared()
      const isOfServer = kind === 'server' && isEmbedded
      counts[isOfServer ? 'server' : command] += 1
      if (isOfServer) state.server = await killServer(run, ground.env, { ...state, ms: moment('backup') })
      else if ((await run.killed(command, state.archive, moment(command))) === 0) counts.endedBefore += 1
      if (command === 'backup') await run.checkIfThere(state.archive)
      if (command === 'restore' && (await ground.isRestored())) await ground.emptyTarget()
      await run.calmly(command, state.archive)
      state.restored = command === 'restore' ? state.archive : undefined
    },
    /** Restores the last archive into an empty place, unless the last round did. */
    async restoreLast(): Promise<void> {
      if (state.restored === state.archive) return
      await ground.emptyTarget()
      await run.calmly('restore', state.archive)
    },
  }
}

type Runner = ReturnType<typeof createRunner>

function createRunner({ ground, folder, temporary, key, keyFile, publicKey }: Setting, faults: BackupFaults) {
  const common = { TMPDIR: temporary }
  const start = (command: Command, archive: string): [Environment, string[]] => {
    if (command === 'backup') return [{ ...ground.env, ...common }, ['backup', archive, '--public-key', publicKey]]
    const opened = ['--key-file', keyFile]
    if (command === 'verify') return [{ ...ground.verifyEnv, ...common }, ['backup', 'verify', archive, ...opened]]
    return [{ ...ground.restoredEnv, ...common }, ['restore', archive, ...opened, '--secrets-to', `${archive}.env`]]
  }
  const checkIfThere = async (archive: string): Promise<void> => {
    if (!existsSync(archive)) return
    const read = async () => (await open(archive, 'r')).createReadStream()
    await checkBackup(read, key).catch((error: unknown) => faults.unusable.push(`${archive}: ${String(error)}`))
  }
  return {
    checkIfThere,
    start,
    /** Runs a command to its end, looks for leftovers, and returns how long it took. */
    async calmly(command: Command, archive: string): Promise<number> {
      const { exit, output, ms } = await startCommand(...start(command, archive)).ended
      if (exit !== 0) faults.failed.push(`${command} ended with ${exit}: ${output}`)
      const files = [...readdirSync(folder), ...readdirSync(temporary)].filter((name) => /part$|^svc-/.test(name))
      faults.leftovers.push(...[...files, ...(await ground.leftovers(command))].map((name) => `${command}: ${name}`))
      if (command === 'backup') await checkIfThere(archive)
      return ms
    },
    /** Runs a command that is killed after so many milliseconds. Returns its exit code, or null if it was killed. */
    async killed(command: Command, archive: string, ms: number): Promise<number | null> {
      const { exit, output } = await runKilled(...start(command, archive), ms)
      if (exit !== null && exit !== 0) faults.failed.push(`${command} ended with ${exit}: ${output}`)
      return exit
    },
  }
}

type ServerKill = { readonly archive: string; readonly server: ServerProcess; readonly ms: number }

/** Kills the server while it is backed up, and starts it again. The backup may fail, or go on without the server. */
async function killServer(run: Runner, env: Environment, { archive, server, ms }: ServerKill): Promise<ServerProcess> {
  const command = startCommand(...run.start('backup', archive))
  const timer = setTimeout(() => void server.child.kill('SIGKILL'), ms)
  await command.ended
  clearTimeout(timer)
  server.child.kill('SIGKILL')
  await server[Symbol.asyncDispose]()
  return startProcess(env)
}
