import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { createDatabase, dropDatabase, listDatabases, readConnection } from '#contract/databases.ts'
import { openTestDatabase } from '#test/database.ts'
import { connectTo } from '#test/databases/managed-databases.ts'
import { startProcess } from '#test/programs/processes.ts'
import { needs } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import type { Environment } from '../../src/server/config/reader.ts'

/** Keeps the last step of creating and dropping a database waiting while another session holds the lock 42. */
const WAIT_AT_LAST_STEP = `
  create function public.wait_for_test() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(42);
    return coalesce(new, old);
  end $$;
  create trigger wait_for_test before update of state on databases.databases
    for each row when (new.state = 'ready') execute function public.wait_for_test();
  create trigger wait_for_test_too before delete on databases.databases
    for each row execute function public.wait_for_test();`

needs('postgres')('DS-01 a worker in a process of its own', () => {
  it('finishes what a killed gateway began to create and to drop', async () => {
    await using stack = new AsyncDisposableStack()
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-killed-'))
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    const { url } = stack.use(await openTestDatabase())
    const env: Environment = {
      ...testEnvironment(url, dataDir),
      SVC_EXAMPLE: 'false',
      SVC_REDIRECT_BASE_URL: 'https://svc.test',
    }
    const startGateway = async () => {
      const services = 'api-gateway,auth-service,deploy-api,mcp-server'
      const gateway = stack.use(await startProcess({ ...env, SVC_SERVICES: services }))
      const as = (token: string) =>
        createClient({ baseUrl: gateway.url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
      return { ...gateway, as }
    }
    // Nothing of this test needs the address, but a worker does not start without it.
    stack.use(await startProcess({ ...env, SVC_SERVICES: 'worker', DEPLOY_API_URL: 'http://127.0.0.1:9' }))
    const holder = stack.use(await connectTo(url!))
    await holder.query(WAIT_AT_LAST_STEP)

    const first = await startGateway()
    const operator = first.as(env.SVC_OPERATOR_TOKEN!)
    const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Killed' })
    const asked = { org_id, email: 'owner@example.com', role: 'owner' as const, name: 'test' }
    const { token } = await operator.call(adminCreateToken, asked)

    /** Kills the gateway while the request waits at its last step; what is left of its session then goes on. */
    const killDuring = async (gateway: typeof first, request: Promise<unknown>) => {
      const failed = request.then(
        () => 'answered',
        () => 'failed',
      )
      await until(async () => {
        const { rows } = await holder.query(`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`)
        return rows.length === 1
      })
      gateway.child.kill('SIGKILL')
      await once(gateway.child, 'exit')
      await holder.query('select pg_advisory_unlock(42)')
      expect(await failed).toBe('failed')
    }
    const statesOf = async () => (await holder.query('select name, state from databases.databases')).rows

    await holder.query('select pg_advisory_lock(42)')
    await killDuring(first, first.as(token).call(createDatabase, { name: 'notes' }))
    await until(async () => (await statesOf())[0]?.state === 'ready')
    const second = await startGateway()
    const { connection_string } = await second.as(token).call(readConnection, { name: 'notes' })
    {
      await using owner = await connectTo(connection_string)
      expect((await owner.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    }

    await holder.query('select pg_advisory_lock(42)')
    await killDuring(second, second.as(token).call(dropDatabase, { name: 'notes', confirm: 'notes' }))
    await until(async () => (await statesOf()).length === 0)
    const { rows: left } = await holder.query(
      `select datname as name from pg_database where datname like '%' || $1
       union all select rolname from pg_roles where rolname like '%' || $1`,
      [new URL(connection_string).pathname.slice('/d_'.length)],
    )
    expect(left).toEqual([])
    const third = await startGateway()
    expect((await third.as(token).call(listDatabases, {})).items).toEqual([])
    const { rows: audited } = await holder.query(
      `select action from svc.audit where action like 'database.%' order by id`,
    )
    expect(audited.map(({ action }) => action)).toEqual([
      'database.created',
      'database.connection_read',
      'database.dropped',
    ])
  })
})
