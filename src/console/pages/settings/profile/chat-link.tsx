import type { z } from 'zod'
import { useCall } from '#console/call/use-call.ts'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { deleteChatLink, readChatLink, startChatLink } from '#contract/notifications/chat-link.ts'

type ChatAccount = z.infer<typeof readChatLink.output>

/** The chat account that gets the person's messages. */
export function ChatLink() {
  const link = useCall(readChatLink, {})
  return (
    <section className="part" aria-labelledby="chat-link">
      <h2 id="chat-link">Chat account</h2>
      <Loaded of={link}>{(account) => <Account account={account} />}</Loaded>
    </section>
  )
}

function Account({ account: { connected, state, unlinked_reason, account } }: { account: ChatAccount }) {
  if (state === 'linked' && account)
    return (
      <>
        <p>
          Messages go to <strong>{account.display_name}</strong>.
        </p>
        <ActButton
          op={deleteChatLink}
          input={{}}
          changes={[readChatLink]}
          done="Unlinked your chat account. What you follow stays."
        >
          Unlink chat account
        </ActButton>
      </>
    )
  if (!connected)
    return <p>Direct messages need the chat app in your workspace. An admin installs it under Integrations.</p>
  return (
    <>
      <p>
        {unlinked_reason === 'account_inactive'
          ? 'Not linked: your account was deactivated at the chat service. Link again to resume.'
          : 'Link your account to get direct messages about the apps you follow.'}
      </p>
      <ActButton op={startChatLink} input={{}} after={({ url }) => location.assign(url)}>
        Link chat account
      </ActButton>
    </>
  )
}
