CREATE TABLE "deskside_todo"."tokens" (
	"name" text PRIMARY KEY NOT NULL,
	"user" text NOT NULL,
	"sha256" text NOT NULL,
	"created" timestamp with time zone NOT NULL,
	"used" timestamp with time zone
);

CREATE FUNCTION deskside_todo.tokens_v1() RETURNS jsonb LANGUAGE sql SECURITY INVOKER STABLE AS $$
  SELECT coalesce(jsonb_agg(to_jsonb(tokens) ORDER BY name COLLATE "C"), '[]') FROM deskside_todo.tokens
$$;
-- Replaces the tokens if they are still those that the caller has read: "known" are their digests.
CREATE FUNCTION deskside_todo.replace_tokens_v1(known jsonb, given jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
BEGIN
  LOCK TABLE deskside_todo.tokens IN SHARE ROW EXCLUSIVE MODE;
  IF jsonb_path_query_array(deskside_todo.tokens_v1(), '$[*].sha256') <> known THEN RETURN 'false'; END IF;
  DELETE FROM deskside_todo.tokens;
  INSERT INTO deskside_todo.tokens SELECT * FROM jsonb_populate_recordset(NULL::deskside_todo.tokens, given);
  RETURN 'true';
END $$;
CREATE FUNCTION deskside_todo.use_token_v1(digest text) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
BEGIN
  UPDATE deskside_todo.tokens SET used = now() WHERE sha256 = digest;
  RETURN NULL;
END $$;
