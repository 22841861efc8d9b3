import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { querySource } from '#contract/data-sources/sources.ts'
import { runDoctor } from '../../src/server/commands/doctor/command.ts'
import { reseal } from '../../src/server/commands/reseal.ts'
import type { Environment } from '../../src/server/config/reader.ts'
import { readEverything } from './everything.ts'
import type { Installation } from './recorded.ts'
import { readTables, startUpgraded, type Upgraded } from './upgraded.ts'

/** An installation of a former release on which today's server was started. */
export type UpgradedInstallation = Installation & {
  readonly env: Environment
  readonly recordedAt: string
  server: Upgraded
  /** Describes the schema, with the name of its schema for each table. */
  readSchema(): Promise<string[]>
}

type Expected = {
  readonly everything: object
  readonly question: { readonly id: string; readonly query: string }
  readonly answer: object
}

/** Proves that everything that the release stored is there. */
export function testKept(installation: () => UpgradedInstallation, { everything, question, answer }: Expected): void {
  it("has today's schema", async () => {
    expect(await installation().readSchema()).toEqual(readFileSync('test/schema.txt', 'utf8').trimEnd().split('\n'))
  })

  it('lists what was created, with the token of the owner', async () => {
    const { server, token, org_id } = installation()
    expect(await readEverything(server.client(token), org_id)).toEqual(everything)
  })

  it('answers the question as before, with the token of a member who may only ask', async () => {
    const { server, member_token } = installation()
    const { results } = await server.client(member_token).call(querySource, { ...question, top_k: 1 })
    expect(results.map(({ id, title, metadata: { _score, ...columns } }) => ({ id, title, ...columns }))).toEqual([
      answer,
    ])
  })
}

/** Proves that stored secrets can be opened, that `svc-server doctor` finds nothing and that a restart changes nothing. */
export function testMaintained(
  installation: () => UpgradedInstallation,
  { addKey, resealed }: { addKey: (env: Environment) => Environment; resealed: readonly string[] },
): void {
  it('changes no row when it is started again', async () => {
    const upgraded = installation()
    const before = await readTables(upgraded.server.db)
    await upgraded.server[Symbol.asyncDispose]()
    upgraded.server = await startUpgraded(upgraded.env, upgraded.recordedAt)
    expect(await readTables(upgraded.server.db)).toEqual(before)
    expect(upgraded.server.logs.filter((line) => line.includes('Applied'))).toEqual([])
  })

  it('leaves an installation in which svc-server doctor finds no problem', async () => {
    await installation().server[Symbol.asyncDispose]()
    const lines: string[] = []
    await runDoctor(installation().env, (line) => void lines.push(line), true)
    const { checks } = JSON.parse(lines.join('\n')) as { checks: { name: string; status: string }[] }
    // Work is left out: it is judged by the present time, and this server ran at the time of the recording.
    const names = ['database', 'migrations', 'data keys', 'managed databases']
    expect(checks.filter(({ name }) => names.includes(name)).map(({ name, status }) => [name, status])).toEqual(
      names.map((name) => [name, 'ok']),
    )
  })

  it('opens every stored secret and seals it under another key', async () => {
    await installation().server[Symbol.asyncDispose]()
    const lines: string[] = []
    await reseal(addKey(installation().env), (line) => void lines.push(line))
    const counts = lines.filter((line) => / moved, /.test(line) && !/ 0 moved, 0 already/.test(line))
    expect(counts.map((line) => line.trim().replace(/ {2,}/, ': '))).toEqual(resealed)
  })
}
