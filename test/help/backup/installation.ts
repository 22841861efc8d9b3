import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createInvitation } from '#contract/auth/members.ts'
import { type Client, createClient } from '#contract/core/client.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import type { Environment } from '../../../src/server/config/reader.ts'
import { startFakeEmbeddings } from '../outside/fake-embeddings.ts'
import { smtpRefusal, startMailServer } from '../outside/mail-server.ts'
import { fakeLiteral, makeAskable } from '../sources/sources.ts'
import { until } from '../until.ts'

const ARTICLES = 200
const MAILS = 3
const AT_ONCE = 4
const UNREACHABLE_LIMIT = '1000000000'

/** Returns a client of the server at that address. */
export function clientOf(url: string, token: string): Client {
  return createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
}

/** The services outside of an installation: a model, and a mail server that refuses addresses with `later` for now. */
export async function startOutside(stack: AsyncDisposableStack) {
  const model = stack.use(await startFakeEmbeddings())
  const counts = { refused: 0, isRefusing: true }
  const mail = stack.use(
    await startMailServer({
      onRcptTo: ({ address }, _session, done) => {
        if (!counts.isRefusing || !address.startsWith('later')) return done()
        counts.refused += 1
        done(smtpRefusal(451, 'later'))
      },
    }),
  )
  const env: Environment = {
    SVC_EXAMPLE: 'false',
    SVC_SMTP_URL: `smtp://127.0.0.1:${mail.address.port}`,
    SVC_MAIL_FROM: 'svc@example.com',
    SVC_AI_PROVIDERS: JSON.stringify([model.provider('fake')]),
    SVC_QUESTIONS_PER_MINUTE: UNREACHABLE_LIMIT,
    SVC_QUESTIONS_PER_DAY: UNREACHABLE_LIMIT,
  }
  return { env, mail, counts }
}

export type Outside = Awaited<ReturnType<typeof startOutside>>

/** Fills an installation: a data source, mails that were sent, and mails that wait for their next attempt. */
export async function fillInstallation(url: string, operatorToken: string, { mail, counts }: Outside) {
  const operator = clientOf(url, operatorToken)
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Saved' })
  const owner = { org_id, email: 'owner@example.com', role: 'owner', name: 'test' } as const
  const { token } = await operator.call(adminCreateToken, owner)
  const client = clientOf(url, token)
  const { connection_string } = await makeAskable(client, 'docs', { sql: articlesSql() })
  for (let i = 0; i < MAILS; i++) {
    for (const name of ['sent', 'later']) await invite(client, org_id, `${name}-${i}@example.org`)
  }
  await until(() => mail.received.length >= MAILS && counts.refused >= MAILS)
  return { org_id, token, physicalName: new URL(connection_string).pathname.slice(1) }
}

export async function invite(client: Client, org_id: string, email: string): Promise<void> {
  await client.call(createInvitation, { org_id, email, role: 'viewer' })
}

/** Asks that many questions and returns the answers as text, with ids and scores. */
export async function askAll(client: Client, questions: number): Promise<string[]> {
  const answers: string[] = []
  let next = 0
  const ask = async () => {
    for (let i = next++; i < questions; i = next++) {
      answers[i] = JSON.stringify(await client.call(querySource, { id: 'db_docs', query: `question ${i}`, top_k: 5 }))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  return answers
}

function articlesSql(): string {
  const rows = Array.from(
    { length: ARTICLES },
    (_, i) => `(${i}, 'Article ${i}', 'c${i % 7}', ${fakeLiteral(`a${i}`)})`,
  )
  return `create table articles (id int primary key, title text, category text, embedding vector(8));
    insert into articles values ${rows.join(', ')};
    create table texts as select n as id, repeat(md5(n::text), 20) as body from generate_series(1, 5000) n`
}
