// Answers that many routes give alike: something created, with its place, and a PDF.
import type { FastifyReply } from 'fastify';
import Type from 'typebox';

/** Answers with what was created, and says under which path it is found. */
export function created<Answer extends { id: string }>(
  reply: FastifyReply,
  path: string,
  answer: Answer,
  status = 201,
): Answer {
  void reply.code(status).header('location', `/api/v1/${path}/${answer.id}`);
  return answer;
}

export const pdfContent = (maxLength: number) => ({
  'application/pdf': { schema: Type.String({ format: 'binary', maxLength }) },
});

export const sendPdf = (reply: FastifyReply, name: string, pdf: Uint8Array, way = 'attachment'): never =>
  reply.type('application/pdf').header('content-disposition', `${way}; filename="${name}.pdf"`).send(pdf) as never;
