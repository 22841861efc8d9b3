import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { mountSmallDisk } from '#test/databases/small-disk.ts'
import { type ServerProcess, startProcess, untilReady } from '#test/programs/processes.ts'
import { until } from '#test/until.ts'
import type { FirstRun } from '../../src/server/process/first-start/first-run.ts'

const disk = mountSmallDisk(192)
afterAll(() => disk?.[Symbol.dispose]())

/** Filling the disk blocks this process, meanwhile the server closes an idle connection, and the next request fails. */
const NEW_CONNECTION = { connection: 'close' }

type Readiness = { status: string; dependencies: Record<string, { status: string; detail?: string }> }

/** Real processes of the embedded default on a disk of their own. */
describe.skipIf(!disk)('OP-01 a server on a disk that fills up (skipped: needs root, to mount one)', () => {
  const dataDir = join(disk?.path ?? '', 'data')
  const env = { PORT: '0', SVC_DATA_DIR: dataDir, SVC_EXAMPLE: 'false' }
  const acknowledged: string[] = []
  const operator = (server: ServerProcess) => {
    const { operator_token } = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun
    const headers = () => ({ authorization: `Bearer ${operator_token}`, ...NEW_CONNECTION })
    return createClient({ baseUrl: server.url, fetch, headers })
  }
  const readiness = async ({ url }: ServerProcess) => {
    const response = await fetch(`${url}/readyz`, { headers: NEW_CONNECTION })
    return { httpStatus: response.status, ...((await response.json()) as Readiness) }
  }
  const makeOrg = async (server: ServerProcess) => {
    acknowledged.push((await operator(server).call(adminCreateOrg, { name: `Org ${acknowledged.length}` })).id)
  }
  const makeUntilRefused = async (server: ServerProcess): Promise<unknown> => {
    for (;;) {
      try {
        await makeOrg(server)
      } catch (error) {
        return error
      }
    }
  }

  it('answers 503 and fails readiness with the reason, and goes on without a restart when space is back', async () => {
    await using server = await startProcess(env)
    await until(async () => (await readiness(server)).status === 'ready')
    await makeOrg(server)
    disk!.fill()
    const full = 'the disk is full: 0 MiB are free and 32 MiB are needed; free some space'
    // A check that takes too long on a busy machine fails with another reason.
    const failing = await until(async () => {
      const answer = await readiness(server)
      return answer.dependencies['data folder']?.detail === full && answer
    })
    expect(failing).toMatchObject({
      httpStatus: 503,
      status: 'not_ready',
      dependencies: { 'data folder': { status: 'failing' } },
    })
    // Pages that are there already still take some rows.
    expect(await makeUntilRefused(server)).toMatchObject({
      status: 503,
      code: 'UNAVAILABLE',
      message: 'Nothing can be saved now: the disk is full; free some space. Try again later.',
      retryAfterSeconds: 10,
    })
    await until(() => server.output.some((line) => line.includes('"message":"the disk is full; free some space"')))
    disk!.free()
    await untilReady(server)
    await makeOrg(server)
  })

  afterEach(() => disk?.free())

  it('does not start while the disk is full or read-only, and says so in words', async () => {
    disk!.fill()
    await expect(startProcess(env)).rejects.toThrow(
      `svc cannot start: Cannot write to ${dataDir}: the disk is full: 0 MiB are free`,
    )
    disk!.free()
    disk!.setReadOnly(true)
    const words = 'the disk is read-only; make it writable'
    await expect(startProcess(env)).rejects.toThrow(`svc cannot start: Cannot write to ${dataDir}: ${words}.`)
    const other = join(disk!.path, 'other', 'data')
    await expect(startProcess({ ...env, SVC_DATA_DIR: other })).rejects.toThrow(
      `svc cannot start: Cannot write to ${other}: ${words}.`,
    )
  })

  it('afterwards starts with everything that was answered', async () => {
    disk!.setReadOnly(false)
    await using server = await startProcess(env)
    await untilReady(server)
    expect(acknowledged.length).toBeGreaterThan(1)
    for (const org_id of acknowledged) {
      const token = { org_id, email: 'a@example.com', role: 'owner', name: 'test' } as const
      expect((await operator(server).call(adminCreateToken, token)).token).toEqual(expect.any(String))
    }
  })
})
