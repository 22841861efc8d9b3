import type { z } from 'zod'
import type { Client } from '#contract/core/client.ts'
import type { JsonOperation } from '#contract/core/operation.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../command/command.ts'
import type { Cli } from '../terminal/cli.ts'
import { type ListTable, show, showList } from '../terminal/output.ts'
import { collect, isPaged, openClient } from './client.ts'
import { askToConfirm, type Lines, type Runnable, type Words } from './client-command.ts'
import { namePeople } from './name-people.ts'

/** The parser makes the arguments and flags as the row of the command declares them. */
type Run<A, F> = (args: A, flags: F & OutputFlags & LoginFlags & ConfirmFlags, cli: Cli) => Promise<void>

type Notes = readonly string[]

type Call<I, O, A, F> = {
  /** Throws if the options cannot be used. Called before the login is looked for. */
  readonly check?: (args: A, flags: F, cli: Cli) => void
  /** Makes the input of the operation. The client looks up what the words of the command only name. */
  readonly input: (args: A, flags: F, client: Client, cli: Cli) => I | Promise<I>
  /** The act that is confirmed before the call, and the word to type for it (default: yes). */
  readonly confirm?: (args: A) => readonly [what: string, answer?: string]
  /** Label of the spinner. Without it there is none. */
  readonly label?: (args: A) => string
  /** Whether to send an idempotency key, so that a call that is repeated takes effect once. */
  readonly once?: true
  readonly text: (answer: O, args: A, cli: Cli) => Lines
  /** Hints that follow the answer on stderr. */
  readonly notes?: (answer: O, args: A, cli: Cli, flags: F & LoginFlags, client: Client) => Notes | Promise<Notes>
}

/** Makes a command that calls one operation and prints the answer. */
export function callCommand<I extends z.ZodObject, O extends z.ZodType, A = Words, F = object>(
  op: JsonOperation<I, O>,
  { check, input, confirm, label, once, text, notes }: Call<z.input<I>, z.output<O>, A, F>,
): Runnable {
  const run: Run<A, F> = async (args, flags, cli) => {
    check?.(args, flags, cli)
    const client = await openClient(flags, cli)
    const sent = await input(args, flags, client, cli)
    if (confirm) await askToConfirm(cli, flags.yes, ...confirm(args))
    const calling = client.call(op, sent, once ? { idempotencyKey: crypto.randomUUID() } : {})
    const answer = await (label ? cli.progress(label(args), calling) : calling)
    show(cli, flags.output, answer, () => text(answer, args, cli))
    for (const line of (await notes?.(answer, args, cli, flags, client)) ?? []) cli.note(line)
  }
  return { run: run as unknown as Runnable['run'] }
}

type List<I, T, A, F, X> = Omit<ListTable<T>, 'row' | 'none'> & {
  readonly input?: (args: A, flags: F, client: Client) => Partial<I> | Promise<Partial<I>>
  /** Label of the spinner. Without it there is none. */
  readonly label?: string
  /** Reads what all rows need to know beside their items. Not called for JSON and for an empty list. */
  readonly facts?: (client: Client) => Promise<X>
  readonly row: (item: T, cli: Cli, nameOf: (id: string) => string, facts: X | undefined) => readonly string[]
  /** Returns the id of a person whose name the row shows. */
  readonly person?: (item: T) => string | null
  readonly none: string | ((args: A, flags: F, cli: Cli) => string)
  /** Hints that follow a list that is not empty on stderr. */
  readonly notes?: (cli: Cli, flags: LoginFlags, client: Client) => Promise<Notes>
  /** Hints that follow an empty list on stderr: why there is nothing. */
  readonly noneNotes?: (args: A, cli: Cli, client: Client) => Promise<Notes>
}

/** Makes a command that prints a list as a table. It takes `--limit` if the operation has pages. */
export function listCommand<I extends z.ZodObject, T, A = Words, F = object, X = undefined>(
  op: JsonOperation<I, z.ZodType<{ items: T[]; next_cursor?: string | null }>>,
  { input, label, row, facts, person, none, notes, noneNotes, ...table }: List<z.input<I>, T, A, F, X>,
): Runnable {
  const run: Run<A, F & { limit?: number }> = async (args, flags, cli) => {
    const client = await openClient(flags, cli)
    const sent = (await input?.(args, flags, client)) ?? {}
    const reading = isPaged(op) ? collect(client, op, sent, flags.limit) : client.call(op, sent as z.input<I>)
    const answer = await (label ? cli.progress(label, reading) : reading)
    const isTable = flags.output !== 'json' && answer.items.length > 0
    const nameOf = await namePeople(client, person && isTable ? answer.items.map(person) : [])
    const read = isTable ? await facts?.(client) : undefined
    showList(cli, flags.output, answer, {
      ...table,
      row: (item) => row(item, cli, nameOf, read),
      none: typeof none === 'string' ? none : none(args, flags, cli),
    })
    const hints = answer.items.length > 0 ? notes?.(cli, flags, client) : noneNotes?.(args, cli, client)
    for (const line of (await hints) ?? []) cli.note(line)
  }
  return { run: run as unknown as Runnable['run'] }
}
