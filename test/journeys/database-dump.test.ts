import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAudit } from '#contract/auth/members.ts'
import { createDatabase, dropDatabase, dumpDatabase, listDatabases, readConnection } from '#contract/databases.ts'
import { codeOf, connectTo } from '#test/databases/managed-databases.ts'
import { runPsql } from '#test/databases/run-psql.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { needsPrograms } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let owner: Person

beforeAll(async () => {
  system = await startSystem()
  owner = await system.member('owner')
  for (const name of ['shop', 'copied']) await client().call(createDatabase, { name })
  await using connection = await connectTo(await stringOf('shop'))
  await connection.query(SHOP)
})
afterAll(async () => {
  const { items } = await client().call(listDatabases, {})
  for (const { name } of items) await client().call(dropDatabase, { name, confirm: name })
  await system?.[Symbol.asyncDispose]()
})

const client = (person = owner) => system.client(person.token)
const stringOf = async (name: string) => (await client().call(readConnection, { name })).connection_string
const dump = (name: string, person = owner) =>
  runSvc(['db', 'dump', name], { env: { SVC_API_URL: system.url, SVC_API_KEY: person.token } })

const SHOP = `
  create schema stock;
  create type stock.kind as enum ('plain', 'rare');
  create domain stock.price as numeric check (value >= 0);
  create table stock.items (
    id bigint generated always as identity primary key,
    name text not null unique,
    kind stock.kind not null default 'plain',
    price stock.price,
    gross numeric generated always as (price * 2) stored,
    embedding vector(3)
  );
  create table stock.sales (item bigint references stock.items, sold_at timestamptz, line text);
  create index items_by_vector on stock.items using hnsw (embedding vector_l2_ops);
  create view stock.rare as select name from stock.items where kind = 'rare';
  create function stock.shout() returns trigger language plpgsql as $$ begin new.name := upper(new.name); return new; end $$;
  create trigger shouts before insert on stock.items for each row execute function stock.shout();
  alter table stock.items enable row level security;
  create policy everyone on stock.items using (true);
  comment on table stock.items is 'what we sell';
  insert into stock.items (name, kind, price, embedding) values
    ('näme', 'rare', 2.5, '[1,2,3]'), ('second', 'plain', 1, null);
  insert into stock.sales values (1, '2026-01-02T03:04:05Z', E'one\\n\\\\restrict two\\n\\ttab \\\\N ''quoted'''), (null, null, null);
  insert into stock.sales (line) select repeat('x', 1000) || n from generate_series(1, 300) n;
`

needsPrograms('psql')('OP-08 a dump of a managed database', () => {
  it('is SQL that psql restores into another managed database without an error', async () => {
    const { exit, stdout, stderr } = await dump('shop')
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toMatch(/-- PostgreSQL database dump complete\n--\n[\s\S]{0,200}$/)
    expect(stdout).not.toMatch(/OWNER TO|GRANT/)
    expect(await runPsql(await stringOf('copied'), stdout)).toEqual({ status: 0, stderr: '' })
    await using copy = await connectTo(await stringOf('copied'))
    const ask = async (text: string) => (await copy.query({ text, rowMode: 'array' })).rows
    await copy.query(`insert into stock.items (name, price) values ('third', 3)`)
    expect(
      await ask('select id::text, name, kind, price, gross, embedding::text from stock.items order by id'),
    ).toEqual([
      ['1', 'NÄME', 'rare', '2.5', '5.0', '[1,2,3]'],
      ['2', 'SECOND', 'plain', '1', '2', null],
      ['3', 'THIRD', 'plain', '3', '6', null],
    ])
    expect(await ask('select line from stock.sales where item = 1')).toEqual([
      [`one\n\\restrict two\n\ttab \\N 'quoted'`],
    ])
    expect(await ask('select count(*)::int from stock.sales')).toEqual([[302]])
    expect(await ask('select * from stock.rare')).toEqual([['NÄME']])
    expect(
      await ask(
        `select obj_description('stock.items'::regclass), relrowsecurity from pg_class where oid = 'stock.items'::regclass`,
      ),
    ).toEqual([['what we sell', true]])
    expect(await ask(`select polname from pg_policy`)).toEqual([['everyone']])
    expect(await ask(`select indexname from pg_indexes where schemaname = 'stock' order by 1`)).toEqual([
      ['items_by_vector'],
      ['items_name_key'],
      ['items_pkey'],
    ])
    expect(await codeOf(copy.query(`insert into stock.items (name, price) values ('negative', -1)`))).toBe('23514')
    expect(await codeOf(copy.query('insert into stock.sales (item) values (99)'))).toBe('23503')
  })
})

describe('OP-08 svc db dump', () => {
  it('is refused to everybody but an owner, and recorded in the audit log', async () => {
    for (const role of ['viewer', 'member', 'developer', 'admin'] as const) {
      const person = await system.member(role, owner.org_id)
      expect(await dump('shop', person)).toMatchObject({ exit: 3, stdout: '' })
    }
    const before = await audited()
    await dump('shop')
    expect((await audited()) - before).toBe(1)
  })

  it('names a database that does not exist', async () => {
    const { exit, stdout, stderr } = await dump('nothing')
    expect({ exit, stdout }).toEqual({ exit: 4, stdout: '' })
    expect(stderr).toContain('No such database: nothing.')
  })

  it('a caller that goes away ends its dump, so that the next one starts', async () => {
    const leaving = new AbortController()
    const events = client().stream(dumpDatabase, { name: 'shop' }, { signal: leaving.signal })
    expect((await events.next()).done).toBe(false)
    leaving.abort()
    // Events that had arrived before can still be read, all of them if the dump was quick.
    await codeOf(Array.fromAsync(events))
    const dumpAgain = () => Array.fromAsync(client().stream(dumpDatabase, { name: 'shop' }))
    await until(async () => (await codeOf(dumpAgain())) === 'no error')
  })
})

async function audited(): Promise<number> {
  const { items } = await client().call(listAudit, { org_id: owner.org_id })
  return items.filter(({ action, detail }) => action === 'database.dumped' && detail.name === 'shop').length
}
