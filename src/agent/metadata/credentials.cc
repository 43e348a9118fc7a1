// SPDX-License-Identifier: Apache-2.0
#include "agent/metadata/credentials.h"

#include "agent/metadata/metadata_json.h"

namespace agent {

std::string credentials_path(const std::string& credentials_id) { return "/v2/credentials/" + credentials_id; }

http::Response credentials_response(const shapes::agent::Credentials& credentials) {
  boost::json::object body;
  body["RoleArn"] = credentials.roleArn.value_or("");
  body["AccessKeyId"] = credentials.accessKeyId;
  body["SecretAccessKey"] = credentials.secretAccessKey;
  body["Token"] = credentials.sessionToken;
  body["Expiration"] = credentials.expiration;
  return json_response(200, body);
}

// Status, code and text are those of Amazon's agent, which people search for.
http::Response credentials_error(bool has_id) {
  boost::json::object body;
  body["code"] = has_id ? "InvalidIdInRequest" : "NoIdInRequest";
  body["message"] =
      has_id ? "CredentialsV2Request: Credentials not found" : "CredentialsV2Request: No Credential ID in the request";
  body["HTTPErrorCode"] = 400;
  return json_response(400, body);
}

}  // namespace agent
