import { ARTICLES, fakeLiteral } from '../sources/sources.ts'
import type { OwnPostgres } from './own-postgres.ts'

/** A run of a tenant's code: the object that ran it, and the roles it ran as. */
type Run = { readonly object: string; readonly role: string; readonly session: string }

/**
 * The function that every hostile object calls. It writes to the log of the server, because a log line survives a rolled
 * back or read-only transaction. A role that may grant roles also gives the tenant the right to run programs.
 */
function probeSql(ownerRole: string): string {
  return `
    create function public.probe(object text) returns int language plpgsql immutable as $body$
    begin
      raise log 'PROBE % % %', object, current_user, session_user;
      if current_user::text operator(pg_catalog.!~) '^[or]_' then
        begin
          execute 'grant pg_execute_server_program to ${ownerRole}';
        exception when others then null;
        end;
      end if;
      return 1;
    end $body$;`
}

/** Operators in `public` for many pairs of types: they fit better than those of pg_catalog that need a cast. */
const OPERATORS_SQL = `
  do $do$
  declare
    types text[] := '{oid,name,text,int4,bool,regnamespace}';
    lefts text; rights text; operators text;
  begin
    foreach lefts in array types loop foreach rights in array types loop
      execute format($f$create function public.compared(%s, %s) returns bool language plpgsql as
        'begin perform public.probe(''operator''); return false; end'$f$, lefts, rights);
      execute format($f$create function public.joined(%s, %s) returns text language plpgsql as
        'begin perform public.probe(''operator''); return null; end'$f$, lefts, rights);
      foreach operators in array '{=,<>,<,>,~,!~}'::text[] loop
        execute format('create operator public.%s (leftarg = %s, rightarg = %s, function = public.compared)',
          operators, lefts, rights);
      end loop;
      execute format('create operator public.|| (leftarg = %s, rightarg = %s, function = public.joined)', lefts, rights);
    end loop; end loop;
  end $do$;`

/** Functions in `public` that hide those of pg_catalog or fit better. The last statement puts them first for the owner. */
const FUNCTIONS_SQL = `
  do $do$
  declare signature text;
  begin
    foreach signature in array array[
      'quote_ident(name) returns text', 'quote_literal(text) returns text', 'split_part(text, text, int) returns text',
      'substr(text, int) returns text', 'strpos(text, text) returns int', 'pg_has_role(name, text) returns bool',
      'pg_database_size(name) returns int8', 'pg_terminate_backend(int) returns bool', 'current_database() returns name',
      'starts_with(text, text) returns bool', 'pg_get_userbyid(oid) returns name', 'count(int) returns int8'] loop
      execute format($f$create function public.%s language plpgsql as
        'begin perform public.probe(''function''); return null; end'$f$, signature);
    end loop;
  end $do$;
  alter role current_user set search_path = public, pg_catalog;`

/** Every other kind of object that an owner can make and that can run code. */
const OBJECTS_SQL = `
  create function public.probed(object text, id int) returns int language sql immutable as
    'select public.probe($1) * $2';
  create function public.on_change() returns trigger language plpgsql as
    'begin perform public.probe(''trigger''); return new; end';
  create domain public.checked as int check (public.probe('domain') = 1);
  create type public.mood as enum ('good', 'bad');
  create function public.mood_text(public.mood) returns text language plpgsql as
    'begin perform public.probe(''cast''); return ''good''; end';
  create cast (public.mood as text) with function public.mood_text(public.mood) as implicit;
  create function public.mood_diff(float8, float8) returns float8 language plpgsql immutable as
    'begin perform public.probe(''range''); return 1; end';
  create type public.spans as range (subtype = float8, subtype_diff = public.mood_diff);
  create aggregate public.summed(int) (sfunc = int4pl, stype = int, initcond = '0');
`

const TABLES_SQL = `
  create table public.laden (
    id int primary key default public.probe('default'),
    domained public.checked,
    feeling public.mood,
    span public.spans,
    made int generated always as (public.probed('generated', id)) stored,
    check (public.probed('check', id) is not null)
  );
  create trigger before_row before insert or update or delete on public.laden
    for each row execute function public.on_change();
  create constraint trigger deferred after insert on public.laden deferrable initially deferred
    for each row execute function public.on_change();
  create index laden_constant on public.laden ((id + public.probe('index-constant')));
  create index laden_expression on public.laden (public.probed('index-expression', id));
  create index laden_partial on public.laden (id) where public.probe('index-predicate') = 1;
  create index laden_span on public.laden using gist (span);
  create statistics public.laden_statistics on (id + public.probe('statistics')), domained from public.laden;
  create rule laden_rule as on update to public.laden where public.probe('rule') = 2 do instead nothing;
  insert into public.laden (id, domained, feeling, span) select n, n, 'good', '[1,2]' from generate_series(1, 20) n;
  create table public.guarded (id int);
  insert into public.guarded values (1), (2);
  alter table public.guarded enable row level security;
  create policy guards on public.guarded using (public.probe('policy') = 1) with check (public.probe('policy') = 1);
  create table public.parted (id int) partition by list ((id + public.probe('partition-key')));
  create table public.part partition of public.parted for values in (2);
  insert into public.parted values (1);
  create table public.heir (more int) inherits (public.guarded);
  create materialized view public.frozen as select public.probe('materialized-view') as id;
  create sequence public.counter;
  create view public.seen as select a.*, public.probe('view') as ran from public.articles a;
  create view public.seen_by_caller with (security_invoker) as select public.probe('invoker-view') as ran;
  create index articles_constant on public.articles ((id + public.probe('index-constant')));
  create statistics public.articles_statistics on (id + public.probe('statistics')), title from public.articles;
  create function public.with_default(id int default public.probe('argument')) returns int language sql as 'select 1';
  alter default privileges in schema public grant select on tables to public;
  analyze public.laden; analyze public.articles;`

/** A searchable table and everything above. */
export function hostileSql(ownerRole: string): string {
  const article = `insert into articles values (3, 'More', 'leave', ${fakeLiteral('more')});`
  return [`${ARTICLES};`, article, probeSql(ownerRole), OBJECTS_SQL, TABLES_SQL, OPERATORS_SQL, FUNCTIONS_SQL].join(
    '\n',
  )
}

/** Puts a table in the place of a sequence. pg_dump, which locks no sequence, plans a query on it. */
export const SWAP_SEQUENCE_SQL = `
  alter sequence public.counter rename to counted;
  create table public.counter (last_value int8, is_called bool);
  insert into public.counter values (1, true);
  create index counter_constant on public.counter ((last_value + public.probe('sequence')));`

/** Statements that are refused to a tenant, because they would run code of the tenant in the sessions of others. */
export const FORBIDDEN = [
  `alter role :reader password 'x'`,
  'alter role :reader connection limit 50',
  'alter role :reader set statement_timeout = 0',
  'alter role :reader rename to mine',
  'grant :reader to current_user',
  `comment on role :reader is 'x'`,
  `create event trigger hears on ddl_command_end execute function public.listens()`,
  `alter database :database set search_path = public`,
  `alter role :platform set search_path = public`,
  `alter role :platform in database :database set search_path = public`,
  `alter role all set search_path = public`,
  `create operator class public.own default for type int4 using btree as operator 1 <`,
  `create function public.native() returns int language c as 'libc', 'getpid'`,
  `create type public.base`,
  `create access method own type index handler bthandler`,
  `create server own foreign data wrapper missing`,
  `create publication everything for all tables`,
  `create function pg_catalog.sneaks() returns int language sql as 'select 1'`,
  `security label for own on table public.laden is 'x'`,
]

/** Returns what ran on the server so far, each once. */
export function runsOn(server: OwnPostgres): Run[] {
  const lines = [...server.log().matchAll(/PROBE (\S+) (\S+) (\S+)$/gm)]
  const runs = new Map(
    lines.map(([text, object, role, session]) => [text, { object: object!, role: role!, session: session! }]),
  )
  return [...runs.values()]
}

/** The owner, the reader, and the role with the owner's rights that dumps. */
const TENANTS = /^[orm]_/

/** Returns the runs as a role that is not the tenant's. */
export function foreignRuns(runs: readonly Run[]): Run[] {
  return runs.filter(({ role, session }) => !TENANTS.test(role) || !TENANTS.test(session))
}
