/** Mail hosts that give anyone an address. As a domain of an organization they would let anyone join it. */
const PUBLIC_MAIL_DOMAINS = new Set(
  `aol.com att.net bigpond.com bluewin.ch btinternet.com comcast.net cox.net duck.com fastmail.com fastmail.fm
  free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hey.com hotmail.co.uk hotmail.com
  hotmail.de hotmail.fr hotmail.it hushmail.com icloud.com inbox.com inbox.ru laposte.net libero.it list.ru live.co.uk
  live.com live.de live.fr mac.com mail.com mail.de mail.ru mailbox.org mailfence.com me.com msn.com naver.com
  orange.fr outlook.com outlook.de outlook.fr pm.me posteo.de proton.me protonmail.ch protonmail.com qq.com
  rambler.ru rediffmail.com rocketmail.com sbcglobal.net seznam.cz sina.com skiff.com sky.com t-online.de
  tutamail.com tutanota.com tuta.com tuta.io verizon.net vodafone.de web.de wp.pl ya.ru yahoo.ca yahoo.co.in
  yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.br yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com yandex.ru yeah.net
  ymail.com zoho.com zohomail.com 126.com 139.com 163.com`.split(/\s+/),
)

export function isPublicMailDomain(domain: string): boolean {
  return PUBLIC_MAIL_DOMAINS.has(domain)
}
