import { ServiceError } from '#contract/core/errors.ts'
import { listReplies, MAX_REPLIES_PER_TICKET, replyToTicket } from '#contract/tickets.ts'
import { newId } from '#edge/ids.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireHeldApp } from '#ports/apps.ts'
import { emit } from '#ports/emit.ts'
import { aboutTicket } from './about-ticket.ts'
import type { TicketDeps } from './deps.ts'
import { needTicket } from './need-ticket.ts'
import { namesOf, presentReply } from './present.ts'
import { countReplies, insertReply, pageReplies, type ReplyRow } from './replies-store.ts'
import { lockTicket } from './store.ts'
import { viewerOf } from './viewer.ts'

export function replyRoute({ db, clock, apps, people }: TicketDeps): Route {
  return route(replyToTicket, async ({ alias, ticket_id, body, internal }, { principal }) => {
    const { org_id, user_id: author_id } = principal
    const viewer = await viewerOf({ apps }, principal, alias)
    const reply = await db.tx(async (tx): Promise<ReplyRow> => {
      const app = await requireHeldApp(apps, tx, org_id, alias)
      const ticket = await lockTicket(tx, { appId: app.id, id: ticket_id, viewer })
      if (internal && !viewer.isInsider) throw notInternal()
      if ((await countReplies(tx, ticket.id)) >= MAX_REPLIES_PER_TICKET) throw tooManyReplies()
      const at = clock.now()
      const row = { id: newId('tkr'), ticket_id: ticket.id, author_id, internal, body, created_at: at }
      await insertReply(tx, row)
      if (!internal) {
        const replied = { ...aboutTicket(app, ticket, principal), status: 'replied' } as const
        await emit(tx, { type: 'support.ticket.replied', org_id, occurred_at: at, body: replied })
      }
      return row
    })
    return presentReply(reply, await namesOf(people, org_id, [reply.author_id]))
  })
}

export function repliesRoute(deps: TicketDeps): Route {
  return route(listReplies, async ({ alias, ticket_id, limit, cursor }, { principal }) => {
    const { ticket, viewer } = await needTicket(deps, principal, { alias, id: ticket_id })
    const page = { ticketId: ticket.id, viewer, after: readCursor(cursor), limit }
    const rows = await pageReplies(deps.db, page)
    const authors = rows.map(({ author_id }) => author_id)
    const names = await namesOf(deps.people, ticket.org_id, authors)
    return toPage(rows, limit, (row) => presentReply(row, names))
  })
}

function notInternal(): ServiceError {
  return new ServiceError(
    'FORBIDDEN',
    'An internal reply needs the role developer or above, or a part in the app. Send a public reply instead.',
  )
}

function tooManyReplies(): ServiceError {
  return new ServiceError('APP_LIMIT', `A ticket can have ${MAX_REPLIES_PER_TICKET} replies. File another ticket.`)
}
