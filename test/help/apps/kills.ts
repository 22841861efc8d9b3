import { readFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { text } from 'node:stream/consumers'
import { identityOf, isSameProcess } from '../../../src/lib/processes/former-process.ts'
import { descendantsOf } from '../../../src/lib/processes/process-memory.ts'
import { until } from '../until.ts'
import { openInstallation } from './outlive.ts'

export type Victim = 'door' | 'server' | 'keeper'

/** The figures of one series of kills. */
type KillReport = {
  readonly kills: number
  /** Instances of apps that were started anew, all in all. */
  readonly newInstances: number
  /** Apps that two instances answered for after a kill. */
  readonly doubled: number
  /** Processes of a killed keeper that still ran when all its apps answered again. */
  readonly orphans: number
  /** Milliseconds from each kill until all apps answer, in order of size. */
  readonly answersAfterMs: readonly number[]
  /** Resident megabytes after the last kill. */
  readonly keeperMb: number
  readonly doorMb: number
}

/** Kills one process of an installation with two apps again and again. */
export async function killAgain(victim: Victim, kills: number): Promise<KillReport> {
  await using stack = new AsyncDisposableStack()
  const installation = await openInstallation(stack)
  const { hosts, port, keeperPid, doorPid } = installation
  /** Undefined while one of them does not answer. */
  const ask = () => Promise.all(hosts.map((host) => instanceAt(port, host))).catch(() => undefined)
  let former = await until(ask)
  const report = { newInstances: 0, doubled: 0, orphans: 0 }
  const times: number[] = []
  for (let index = 0; index < kills; index++) {
    const below = await identitiesBelow(keeperPid())
    const killedAt = performance.now()
    if (victim === 'server') await installation.end('kill')
    else process.kill(victim === 'keeper' ? keeperPid() : await doorPid(), 'SIGKILL')
    const unchanged = former
    const now = await until(async () => {
      const answers = await ask()
      const isDone = victim !== 'keeper' || answers?.every((each) => !unchanged.includes(each))
      return isDone ? answers : undefined
    })
    times.push(Math.round(performance.now() - killedAt))
    report.newInstances += now.filter((each) => !unchanged.includes(each)).length
    const later = await until(ask)
    report.doubled += later.filter((each, at) => each !== now[at]).length
    if (victim === 'keeper') report.orphans += below.filter(isSameProcess).length
    former = later
  }
  const [keeperMb, doorMb] = [keeperPid(), await doorPid()].map(residentMb) as [number, number]
  return { kills, ...report, answersAfterMs: times.toSorted((one, other) => one - other), keeperMb, doorMb }
}

async function identitiesBelow(pid: number): Promise<string[]> {
  return (await descendantsOf(pid)).map(identityOf)
}

function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

/** Rejects unless the app answers. */
function instanceAt(port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = send({ host: '127.0.0.1', port, path: '/', headers: { host }, agent: false }, (response) => {
      text(response).then((body) => (response.statusCode === 200 ? resolve(body) : reject(new Error(body))), reject)
    })
    asked.once('error', reject).end()
  })
}
