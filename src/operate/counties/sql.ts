// Queries of county drafts.
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow, getRow, getValue, listRows, raw } from '../../base/db/statements.ts';
import { updateRow } from '../../base/db/rows.ts';
import type { Reading } from './schema.ts';
import { type ColumnReport, type Meanings, type Place } from '../../supply/ingest/scaffold.ts';

export interface DraftRow {
  id: string;
  place: Place;
  file_name: string;
  file_bytes: number | null;
  received_bytes: number;
  url: string | null;
  reading: Reading;
  meanings: Meanings;
  summary: { type: string; rows: number; has_more: boolean; shapes: number; columns: ColumnReport[] } | null;
  recipe: string | null;
  recipe_version: number;
  is_recipe_edited: boolean;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

const DRAFT = `id, place, file_name, file_bytes, received_bytes, url, reading, meanings, summary, recipe, recipe_version,
  is_recipe_edited, created_by, created_at, updated_at`;
type NewDraft = Pick<DraftRow, 'id' | 'place' | 'file_name' | 'file_bytes' | 'url' | 'created_by' | 'created_at'>;

export const insertDraft = (db: Queryable, draft: NewDraft) =>
  getRow<DraftRow>(db)`
    insert into county_drafts (id, place, file_name, file_bytes, url, created_by, created_at, updated_at)
    values (${draft.id}, ${draft.place}, ${draft.file_name}, ${draft.file_bytes}, ${draft.url}, ${draft.created_by}, ${draft.created_at}, ${draft.created_at}) returning ${raw(DRAFT)}`;

export const findDraft = (db: Queryable, id: string) =>
  findRow<DraftRow>(db)`select ${raw(DRAFT)} from county_drafts where id = ${id}`;

export const lockDraft = (client: Client, id: string) =>
  findRow<DraftRow>(client)`select ${raw(DRAFT)} from county_drafts where id = ${id} for update`;

/** Newest first. */
export const listDrafts = (db: Queryable, limit: number) =>
  listRows<DraftRow>(db)`select ${raw(DRAFT)} from county_drafts order by created_at desc, id desc limit ${limit}`;

export const countDrafts = (db: Queryable) => getValue<number>(db)`select count(*) from county_drafts`;

export const updateDraft = (db: Queryable, draft: DraftRow) => updateRow(db, 'county_drafts', 'id', draft);

export const deleteDraft = (db: Queryable, id: string) => changeRows(db)`delete from county_drafts where id = ${id}`;
