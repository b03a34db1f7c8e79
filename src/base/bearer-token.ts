import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Whether a request has the header `Authorization: Bearer TOKEN`. The time of the comparison does not depend on the token. */
export function bearsToken({ authorization = '' }: IncomingHttpHeaders, token: string): boolean {
  const sentToken = /^Bearer (.+)$/i.exec(authorization)?.[1];
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return sentToken !== undefined && timingSafeEqual(hash(sentToken), hash(token));
}
