/** The lines of Python that connect OpenEnv's client to a server. */
export function pythonCode({ url, token }: { readonly url: string; readonly token: string }): string {
  // A JSON string is also a Python string.
  const headers = `{"Authorization": ${JSON.stringify(`Bearer ${token}`)}}`;
  return `from openenv.core import GenericEnvClient

with GenericEnvClient(base_url=${JSON.stringify(url)}, headers=${headers}).sync() as env:
    result = env.reset()
`;
}
