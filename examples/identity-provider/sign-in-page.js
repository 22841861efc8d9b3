import { text } from 'node:stream/consumers'

const PATH = '/sign-in/'

export const signInAddress = (uid) => `${PATH}${uid}`

/** Answers the sign-in page, which takes any name. Returns whether the request was for it. */
export async function answerSignIn(provider, request, response) {
  if (!request.url.startsWith(PATH)) return false
  try {
    await provider.interactionDetails(request, response)
  } catch {
    send(response, 400, '<p>This sign-in is over, or was begun in another browser. Go back to svc and begin again.</p>')
    return true
  }
  const name = request.method === 'POST' ? new URLSearchParams(await text(request)).get('login')?.trim() : undefined
  if (name) await provider.interactionFinished(request, response, { login: { accountId: name } })
  else send(response, 200, form(request.url))
  return true
}

const form = (action) => `<p>This program stands for the identity provider of a company. It checks no password.</p>
<form method="post" action="${encodeURI(action)}">
<p><label for="login">Name</label><br><input id="login" name="login" value="owner" required autofocus></p>
<p><button>Sign in</button></p>
</form>
<p><code>owner</code> is owner@example.com, the first owner of svc. Any other name, such as <code>pat</code>, is another
person (pat@example.com), whom an owner has to invite. A name with an @ is an address of its own.</p>`

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Example identity provider</title>
<body style="max-width: 30rem; margin: 4rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui">
<h1>Example identity provider</h1>
${body}
`)
}
