// Extracts the answer from a tool's result, as an agent does.
export const answerOf = (result: { content?: unknown }): any =>
  JSON.parse((result.content as { text: string }[])[0].text);
