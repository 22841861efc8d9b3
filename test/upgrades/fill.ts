import pg from 'pg'

/** A person or program that calls the API of a release, whose contract may differ from today's. */
export type Caller = (method: string, path: string, body?: object) => Promise<Answer>
type Answer = Readonly<Record<string, unknown>>

export function callerOf(url: string, token: string): Caller {
  return async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
    }
    const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${text}`)
    return JSON.parse(text) as Answer
  }
}

/** Creates what an organization has after some days of use. Returns the secrets that are shown only once. */
export async function createEverything(
  owner: Caller,
  operator: Caller,
  orgId: string,
): Promise<{ token: string; memberToken: string }> {
  const { token } = await owner('POST', '/api/v1/tokens', { name: 'nightly report' })
  await owner('POST', `/api/v1/orgs/${orgId}/invitations`, { email: 'ada@example.com', role: 'developer' })
  const member = { org_id: orgId, email: 'bob@example.com', role: 'viewer', name: 'laptop of Bob' }
  const { token: memberToken } = await operator('POST', '/api/v1/admin/tokens', member)
  await fillApp(owner)
  await subscribe(owner)
  const maintenance = {
    enabled: true,
    model: 'builtin/detectors',
    nightly_cron: '30 2 * * *',
    timezone: 'Europe/Berlin',
  }
  await owner('PUT', `/api/deploy/orgs/${orgId}/maintenance-agent`, maintenance)
  return { token: String(token), memberToken: String(memberToken) }
}

/** Uses the app `hello`: a variable, a paused check, a ticket with a reply. */
async function fillApp(owner: Caller): Promise<void> {
  const app = '/api/deploy/deployments/hello'
  await owner('PATCH', `${app}/environment`, { set: { GREETING: 'Good morning' } })
  const check = { name: 'greeting', definition: { kind: 'http', target: '/', contains: 'Hello' }, threshold: 3 }
  await owner('POST', `${app}/checks`, { ...check, schedule: { every_minutes: 60 } })
  await owner('PATCH', `${app}/checks/greeting`, { enabled: false })
  const ticket = { title: 'The greeting is too loud', body: 'Could it be lower case?' }
  const { id } = await owner('POST', `${app}/tickets`, ticket)
  await owner('POST', `${app}/tickets/${String(id)}/replies`, { body: 'It will be.' })
  await owner('PUT', `${app}/tickets/${String(id)}/status`, { status: 'in_progress' })
}

async function subscribe(owner: Caller): Promise<void> {
  // An address of the internet, because others are refused. Nothing is sent to it: no deploy fails.
  const webhook = { url: 'https://93.184.215.14/hooks/8c1f7a52d0e94b36', name: 'Pager' }
  const { id: webhookId } = await owner('POST', '/api/integrations/webhooks', webhook)
  const { id: emailId } = await owner('PUT', '/api/integrations/email', { address: 'owner@example.com' })
  const subscriptions = '/api/notifications/subscriptions'
  await owner('POST', subscriptions, { event_type: 'deploy.failed', channel_id: webhookId, timing: 'daily' })
  await owner('POST', subscriptions, { event_type: 'support.ticket.*', channel_id: emailId, timing: 'hourly' })
  await owner('PUT', '/api/notifications/follows/hello', {
    categories: ['failed_deploys', 'tickets'],
    frequency: 'daily',
  })
}

const ARTICLES = [
  ['sick', 'Sick days', 'Stay at home when you are ill and tell your manager in the morning.', 'leave'],
  ['cars', 'Company cars', 'Vehicles are booked at reception and returned with a full tank.', 'travel'],
] as const

/** Creates the data source `db_docs`, as the guide of data sources does, because Postgres has no example. */
export async function createSource(owner: Caller): Promise<void> {
  await owner('POST', '/api/wf/databases', { name: 'docs' })
  const { connection_string } = await owner('GET', '/api/wf/databases/docs/connection')
  const model = 'builtin/all-minilm-l6-v2'
  const input = ARTICLES.map(([, title, body]) => `${title}\n${body}`)
  const { data } = await owner('POST', '/api/ai/v1/embeddings', { model, input })
  await insertArticles(String(connection_string), data as readonly { embedding: readonly number[] }[])
  await owner('PUT', '/api/wf/databases/docs/data-source', { enabled: true, description: 'How we work' })
  const entry = {
    label: 'articles',
    table: 'public.articles',
    model,
    dimensions: 384,
    content_columns: 'id, title, body',
  }
  const configuration = { connection_config: { embedding_configs: [entry] }, filter_schema: { category: 'string' } }
  await owner('PUT', '/api/wf/data-sources/db_docs', configuration)
  await owner('PUT', '/api/wf/data-sources/db_docs/exposure', { exposed: true, min_role: 'viewer' })
}

async function insertArticles(url: string, vectors: readonly { embedding: readonly number[] }[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`create table public.articles (id text primary key, title text not null, body text not null,
      category text not null, embedding vector(384) not null)`)
    for (const [i, article] of ARTICLES.entries()) {
      const values = [...article, JSON.stringify(vectors[i]!.embedding)]
      await client.query('insert into public.articles values ($1, $2, $3, $4, $5)', values)
    }
  } finally {
    await client.end()
  }
}
