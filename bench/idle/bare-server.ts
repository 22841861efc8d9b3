import { serve } from '@hono/node-server'
import { Hono } from 'hono'

/** An idle server of the same framework, with one route. */
const app = new Hono()
app.get('/', (context) => context.text('hello'))
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => console.log(`ready at ${port}`))
